// What we use of WebAssembly, whose types come with those of browsers alone.

declare namespace WebAssembly {
  interface Module {
    readonly [compiled: symbol]: never
  }
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  interface Global {
    value: number
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>
}
