/**
 * Programs that tests need beside Redis and Chromium. `npm test` installs them, so nothing here may need a test runner.
 */

/** Debian's folder for it is often not on the PATH. */
export const NGINX_PROGRAMS = ["nginx", "../sbin/nginx"] as const;
export const OPENSSL_PROGRAMS = ["openssl"] as const;
