declare module "picomatch" {
  /** The parts of a glob. */
  interface Scanned {
    /** The path before the first special character. */
    readonly base: string;
    readonly glob: string;
    readonly isGlob: boolean;
    readonly negated: boolean;
  }
  interface Picomatch {
    /** Compiles a glob to a test of paths; `dot` lets it match names that begin with a dot. */
    (glob: string, options?: { readonly dot?: boolean }): (path: string) => boolean;
    isMatch(path: string, glob: string, options?: { readonly dot?: boolean }): boolean;
    scan(glob: string): Scanned;
  }
  const picomatch: Picomatch;
  export default picomatch;
}
