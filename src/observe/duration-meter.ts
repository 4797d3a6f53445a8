/** Port: takes durations. Cheap enough for every request. */
export interface DurationMeter {
  /** @param seconds how long it took; what is not finite is ignored */
  observe(seconds: number): void;
}
