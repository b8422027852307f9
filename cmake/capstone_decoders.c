// A static program holds Capstone's decoder of its own processor, whose code servers of its machine
// have, and no others: as their entries are here, the linker takes nothing of them from the archive.
// One that is not listed costs space only.
#include <capstone/capstone.h>
#include <stddef.h>

#define NO_DECODER(processor)                                       \
  cs_err processor##_global_init(void* handle) {                    \
    (void)handle;                                                   \
    return CS_ERR_ARCH;                                             \
  }                                                                 \
  cs_err processor##_option(void* handle, int type, size_t value) { \
    (void)handle;                                                   \
    (void)type;                                                     \
    (void)value;                                                    \
    return CS_ERR_ARCH;                                             \
  }

#ifdef __x86_64__
NO_DECODER(AArch64)
#else
NO_DECODER(X86)
#endif
NO_DECODER(ARM)
NO_DECODER(EVM)
NO_DECODER(M680X)
NO_DECODER(M68K)
NO_DECODER(Mips)
NO_DECODER(PPC)
NO_DECODER(Sparc)
NO_DECODER(SystemZ)
NO_DECODER(TMS320C64x)
NO_DECODER(XCore)
