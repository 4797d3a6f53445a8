/** The part of WebAssembly that checksums need: Node has it, the types of Node do not describe it. */

declare namespace WebAssembly {
  class Memory {
    /** @param size in pages of 64 KiB */
    constructor(size: { readonly initial: number });
    readonly buffer: ArrayBuffer;
  }

  /** True if this processor can run the code. */
  function validate(code: Uint8Array<ArrayBuffer>): boolean;

  class Module {
    constructor(code: Uint8Array<ArrayBuffer>);
  }

  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, Memory>>>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
