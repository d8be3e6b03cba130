// How much a text costs a language model, roughly.

/** So many bytes of UTF-8 are one token. On lists of tools, common tokenizers count up to a fifth fewer. */
const bytesPerToken = 4

/** An estimate that needs no tokenizer: they differ from model to model, and each is megabytes of tables. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}
