/** Settings of caches over the directory, `auth.cache.*`; times in milliseconds. */
export interface CacheSettings {
  readonly enabled: boolean;
  readonly size: number;
  readonly ttl: number;
  readonly jitter: number;
}
