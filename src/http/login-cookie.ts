/** Name of the cookie that holds a login token, the same as that of the data server's API (security.md §2.11). */
export const LOGIN_COOKIE = "access_token";
