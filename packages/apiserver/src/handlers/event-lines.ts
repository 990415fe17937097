const NEWLINE = 0x0a

/** The events of a chunk of a watch, each with the newline that ends it. */
export function* eventLines(chunk: Buffer): Generator<Buffer> {
  for (let start = 0; start < chunk.length; ) {
    const end = chunk.indexOf(NEWLINE, start) + 1 || chunk.length
    yield chunk.subarray(start, end)
    start = end
  }
}
