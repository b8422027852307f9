#include "profiles/postgres/wait_event_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dbtrace::profiles::postgres {
namespace {

constexpr int kFirstVersion = 14, kLastVersion = 18;

// A kind of wait events (PG_WAIT_*), and its events in the order of their numbers, from 0 on:
// "Name-16" up to version 16, "Name+17" from 17 on, "Name+15-16" in both; "?" is a number without
// a name.
//
// Sources: src/include/utils/wait_event.h and src/backend/utils/activity/wait_event.c up to 16,
// wait_event_names.txt from 17 on; for LWLock lwlocknames.txt, lwlocklist.h and lwlock.c.
// PostgresWaitNames.EveryNameIsTheServersOwn compares all with the servers themselves.
struct Kind {
  uint8_t number;
  std::string_view type;
  std::string_view events;
};
constexpr Kind kKinds[] = {
    {1, "LWLock",
     "? ShmemIndex OidGen XidGen ProcArray SInvalRead SInvalWrite WALBufMapping WALWrite "
     "ControlFile ? XactSLRU-16 SubtransSLRU-16 ?+17 ?+17 MultiXactGen "
     "MultiXactOffsetSLRU-16 MultiXactMemberSLRU-16 ?+17 ?+17 RelCacheInit CheckpointerComm "
     "TwoPhaseState TablespaceCreate BtreeVacuum AddinShmemInit Autovacuum "
     "AutovacuumSchedule SyncScan RelationMapping NotifySLRU-16 ?+17 NotifyQueue "
     "SerializableXactHash SerializableFinishedList SerializablePredicateList SerialSLRU-16 "
     "?+17 SyncRep BackgroundWorker DynamicSharedMemoryControl AutoFile "
     "ReplicationSlotAllocation ReplicationSlotControl CommitTsSLRU-16 ?+17 CommitTs "
     "ReplicationOrigin MultiXactTruncation OldSnapshotTimeMap-16 ?+17 LogicalRepWorker "
     "XactTruncation ? WrapLimitsVacuum NotifyQueueTail WaitEventCustom+17 WALSummarizer+17 "
     "DSMRegistry+17 InjectionPoint+17 SerialControl+17 AioWorkerSubmissionQueue+18 "
     "XactBuffer CommitTsBuffer SubtransBuffer MultiXactOffsetBuffer MultiXactMemberBuffer "
     "NotifyBuffer SerialBuffer WALInsert BufferContent ReplicationOriginState "
     "ReplicationSlotIO LockFastPath BufferMapping LockManager PredicateLockManager "
     "ParallelHashJoin ParallelBtreeScan+18 ParallelQueryDSA PerSessionDSA "
     "PerSessionRecordType PerSessionRecordTypmod SharedTupleStore SharedTidBitmap "
     "ParallelAppend PerXactPredicateList PgStatsDSA+15 PgStatsHash+15 PgStatsData+15 "
     "LogicalRepLauncherDSA+16 LogicalRepLauncherHash+16 DSMRegistryDSA+17 "
     "DSMRegistryHash+17 CommitTsSLRU+17 MultiXactMemberSLRU+17 MultiXactOffsetSLRU+17 "
     "NotifySLRU+17 SerialSLRU+17 SubtransSLRU+17 XactSLRU+17 ParallelVacuumDSA+17 "
     "AioUringCompletion+18"},
    {3, "Lock",
     "relation extend frozenid page tuple transactionid virtualxid spectoken object userlock "
     "advisory applytransaction+16"},
    {4, "BufferPin", "BufferPin"},
    {5, "Activity",
     "ArchiverMain AutoVacuumMain-16 BgWriterHibernate-16 BgWriterMain-16 AutovacuumMain+17 "
     "BgwriterHibernate+17 BgwriterMain+17 CheckpointerMain CheckpointerShutdown+18 "
     "IoWorkerMain+18 LogicalApplyMain LogicalLauncherMain PgStatMain-14 "
     "LogicalParallelApplyMain+16 RecoveryWalStream SysLoggerMain-16 "
     "ReplicationSlotsyncMain+17 ReplicationSlotsyncShutdown+17 SysloggerMain+17 "
     "WalReceiverMain WalSenderMain WalSummarizerWal+17 WalWriterMain"},
    {6, "Client",
     "ClientRead ClientWrite GSSOpenServer-16 LibPQWalReceiverConnect-16 "
     "LibPQWalReceiverReceive-16 SSLOpenServer-16 WalSenderWaitForWAL-16 GssOpenServer+17 "
     "LibpqwalreceiverConnect+17 LibpqwalreceiverReceive+17 SslOpenServer+17 "
     "WaitForStandbyConfirmation+17 WalSenderWaitForWal+17 WalSenderWriteData"},
    {7, "Extension", "Extension"},
    {8, "IPC",
     "AppendReady ArchiveCleanupCommand+15 ArchiveCommand+15 BackendTermination "
     "BackupWaitWalArchive BgWorkerShutdown-16 BgWorkerStartup-16 BgworkerShutdown+17 "
     "BgworkerStartup+17 BtreePage BufferIO-16 BufferIo+17 CheckpointDelayComplete+17 "
     "CheckpointDelayStart+17 CheckpointDone CheckpointStart ExecuteGather HashBatchAllocate "
     "HashBatchElect HashBatchLoad HashBuildAllocate HashBuildElect HashBuildHashInner "
     "HashBuildHashOuter HashGrowBatchesAllocate-15 HashGrowBatchesDecide "
     "HashGrowBatchesElect HashGrowBatchesFinish HashGrowBatchesReallocate+16 "
     "HashGrowBatchesRepartition HashGrowBucketsAllocate-15 HashGrowBucketsElect "
     "HashGrowBucketsReallocate+16 HashGrowBucketsReinsert LogicalApplySendData+16 "
     "LogicalParallelApplyStateChange+16 LogicalSyncData LogicalSyncStateChange "
     "MessageQueueInternal MessageQueuePutMessage MessageQueueReceive MessageQueueSend "
     "MultixactCreation+17 ParallelBitmapScan ParallelCreateIndexScan ParallelFinish "
     "ProcArrayGroupUpdate-16 ProcarrayGroupUpdate+17 ProcSignalBarrier Promote "
     "RecoveryConflictSnapshot RecoveryConflictTablespace RecoveryEndCommand+15 "
     "RecoveryPause ReplicationOriginDrop ReplicationSlotDrop RestoreCommand+15 SafeSnapshot "
     "SyncRep WalReceiverExit WalReceiverWaitStart WalSummaryReady+17 XactGroupUpdate"},
    {9, "Timeout",
     "BaseBackupThrottle CheckpointWriteDelay+15 PgSleep RecoveryApplyDelay "
     "RecoveryRetrieveRetryInterval VacuumDelay-14 CheckpointWriteDelay-14 "
     "RegisterSyncRequest SpinDelay+16 VacuumDelay+15 VacuumTruncate+15 "
     "WalSummarizerError+17"},
    {10, "IO",
     "BaseBackupRead-16 BaseBackupSync+15-16 BaseBackupWrite+15-16 BufFileRead-16 "
     "BufFileWrite-16 BufFileTruncate-16 AioIoCompletion+18 AioIoUringExecution+18 "
     "AioIoUringSubmit+18 BasebackupRead+17 BasebackupSync+17 BasebackupWrite+17 "
     "BuffileRead+17 BuffileTruncate+17 BuffileWrite+17 ControlFileRead ControlFileSync "
     "ControlFileSyncUpdate ControlFileWrite ControlFileWriteUpdate CopyFileCopy+18 "
     "CopyFileRead CopyFileWrite DataFileExtend DataFileFlush DataFileImmediateSync "
     "DataFilePrefetch DataFileRead DataFileSync DataFileTruncate DataFileWrite "
     "DSMAllocate+16-16 DSMFillZeroWrite-16 LockFileAddToDataDirRead-16 "
     "LockFileAddToDataDirSync-16 LockFileAddToDataDirWrite-16 DsmAllocate+17 "
     "DsmFillZeroWrite+17 LockFileAddtodatadirRead+17 LockFileAddtodatadirSync+17 "
     "LockFileAddtodatadirWrite+17 LockFileCreateRead LockFileCreateSync LockFileCreateWrite "
     "LockFileReCheckDataDirRead-16 LockFileRecheckdatadirRead+17 "
     "LogicalRewriteCheckpointSync LogicalRewriteMappingSync LogicalRewriteMappingWrite "
     "LogicalRewriteSync LogicalRewriteTruncate LogicalRewriteWrite RelationMapRead "
     "RelationMapSync-15 RelationMapReplace+16 RelationMapWrite ReorderBufferRead "
     "ReorderBufferWrite ReorderLogicalMappingRead ReplicationSlotRead "
     "ReplicationSlotRestoreSync ReplicationSlotSync ReplicationSlotWrite SLRUFlushSync-16 "
     "SLRURead-16 SLRUSync-16 SLRUWrite-16 SlruFlushSync+17 SlruRead+17 SlruSync+17 "
     "SlruWrite+17 SnapbuildRead SnapbuildSync SnapbuildWrite TimelineHistoryFileSync "
     "TimelineHistoryFileWrite TimelineHistoryRead TimelineHistorySync TimelineHistoryWrite "
     "TwophaseFileRead TwophaseFileSync TwophaseFileWrite VersionFileWrite+15-16 "
     "WALSenderTimelineHistoryRead-16 WALBootstrapSync-16 WALBootstrapWrite-16 "
     "WALCopyRead-16 WALCopySync-16 WALCopyWrite-16 WALInitSync-16 WALInitWrite-16 "
     "WALRead-16 WALSync-16 WALSyncMethodAssign-16 WALWrite-16 LogicalChangesRead-14 "
     "LogicalChangesWrite-14 LogicalSubxactRead-14 LogicalSubxactWrite-14 VersionFileSync+15 "
     "VersionFileWrite+17 WalsenderTimelineHistoryRead+17 WalBootstrapSync+17 "
     "WalBootstrapWrite+17 WalCopyRead+17 WalCopySync+17 WalCopyWrite+17 WalInitSync+17 "
     "WalInitWrite+17 WalRead+17 WalSummaryRead+17 WalSummaryWrite+17 WalSync+17 "
     "WalSyncMethodAssign+17 WalWrite+17"},
    {11, "InjectionPoint", ""},
};

int major_of(std::string_view version) {
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

// Takes the bound behind `sign` off the end of an event.
int bound(std::string_view& event, char sign, int otherwise) {
  const size_t at = event.rfind(sign);
  if (at == std::string_view::npos) return otherwise;
  const int version = major_of(event.substr(at + 1));
  event = event.substr(0, at);
  return version;
}

// Empty: that version has none of this number.
std::string_view event_of(const Kind& kind, int version, uint32_t number) {
  for (std::string_view rest = kind.events; !rest.empty();) {
    std::string_view event = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), event.size() + 1));
    const int last = bound(event, '-', kLastVersion), first = bound(event, '+', kFirstVersion);
    if (version < first || version > last) continue;
    if (number-- == 0) return event == "?" ? "" : event;
  }
  return {};
}

}  // namespace

WaitEventName wait_event_name(std::string_view version, uint32_t number) {
  constexpr uint32_t kKindShift = 24;
  const int major = major_of(version);
  const uint32_t event = number & ((1U << kKindShift) - 1);
  WaitEventName name{fmt::format("{}", number >> kKindShift), fmt::format("{}", event)};
  if (major < kFirstVersion || major > kLastVersion) return name;
  for (const Kind& kind : kKinds) {
    if (kind.number != number >> kKindShift) continue;
    name.type = kind.type;
    if (const std::string_view known = event_of(kind, major, event); !known.empty())
      name.event = known;
  }
  return name;
}

}  // namespace dbtrace::profiles::postgres
