/** What a test may need beside Redis and Chromium. `npm test` installs it, so nothing here may need a test runner. */

/** Where Debian puts it is not on everybody's PATH. */
export const NGINX_PROGRAMS = ["nginx", "../sbin/nginx"] as const;
export const OPENSSL_PROGRAMS = ["openssl"] as const;
