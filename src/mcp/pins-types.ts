// What a server's tools are compared with: the descriptions that were accepted before.

/** The parts of a tool that a model goes by, so that a change in one of them is a change of the tool. */
export interface PinnedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
}

export type PinState =
  /** As it was accepted, or accepted just now, because its server was never seen before. */
  | { readonly state: 'same' | 'new' }
  /** What a person is shown, whole: which tool, what differs, how to accept it. Visible characters only. */
  | { readonly state: 'changed'; readonly difference: string }

export interface Pins {
  /**
   * How each tool stands to what was accepted before, by name. All tools of a server that was never seen are accepted; where
   * that cannot be kept, all of them count as changed.
   */
  readonly check: (
    server: string,
    tools: readonly PinnedTool[],
  ) => ReadonlyMap<string, PinState> | Promise<ReadonlyMap<string, PinState>>
  /** Takes a tool as it is now for the accepted one. Rejects where that cannot be kept. */
  readonly accept: (server: string, tool: PinnedTool) => void | Promise<void>
}
