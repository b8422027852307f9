// libmicrohttpd speaks TLS by GnuTLS when it is asked to, which nobody here does. With these in the
// place of GnuTLS, its archive needs no library of 2 MB; what is not listed does not link.
#define NO_TLS(function) \
  int function(void);    \
  int function(void) { return -1; }

NO_TLS(gnutls_alpn_set_protocols)
NO_TLS(gnutls_bye)
NO_TLS(gnutls_certificate_allocate_credentials)
NO_TLS(gnutls_certificate_free_credentials)
NO_TLS(gnutls_certificate_server_set_request)
NO_TLS(gnutls_certificate_set_dh_params)
NO_TLS(gnutls_certificate_set_retrieve_function2)
NO_TLS(gnutls_certificate_set_retrieve_function3)
NO_TLS(gnutls_certificate_set_x509_key_mem)
NO_TLS(gnutls_certificate_set_x509_key_mem2)
NO_TLS(gnutls_certificate_set_x509_trust_mem)
NO_TLS(gnutls_cipher_get)
NO_TLS(gnutls_credentials_set)
NO_TLS(gnutls_deinit)
NO_TLS(gnutls_dh_params_deinit)
NO_TLS(gnutls_dh_params_import_pkcs3)
NO_TLS(gnutls_dh_params_init)
NO_TLS(gnutls_global_deinit)
NO_TLS(gnutls_global_init)
NO_TLS(gnutls_handshake)
NO_TLS(gnutls_hash)
NO_TLS(gnutls_hash_deinit)
NO_TLS(gnutls_hash_init)
NO_TLS(gnutls_hash_output)
NO_TLS(gnutls_init)
NO_TLS(gnutls_priority_deinit)
NO_TLS(gnutls_priority_init)
NO_TLS(gnutls_priority_init2)
NO_TLS(gnutls_priority_set)
NO_TLS(gnutls_protocol_get_version)
NO_TLS(gnutls_psk_allocate_server_credentials)
NO_TLS(gnutls_psk_free_server_credentials)
NO_TLS(gnutls_psk_set_server_credentials_function)
NO_TLS(gnutls_record_check_pending)
NO_TLS(gnutls_record_get_direction)
NO_TLS(gnutls_record_recv)
NO_TLS(gnutls_record_send)
NO_TLS(gnutls_session_set_ptr)
NO_TLS(gnutls_transport_set_int2)
NO_TLS(gnutls_transport_set_ptr)
NO_TLS(gnutls_transport_set_push_function)

// Those that return or are pointers.
#define NO_TLS_POINTER(function) \
  void* function(void);          \
  void* function(void) { return 0; }

NO_TLS_POINTER(gnutls_session_get_ptr)
NO_TLS_POINTER(gnutls_strerror)
void* (*gnutls_malloc)(unsigned long) = 0;
void (*gnutls_free)(void*) = 0;
