const NEWLINE = 0x0a

/** Returns the events in a chunk of a watch, each with its newline. */
export function* eventLines(chunk: Buffer): Generator<Buffer> {
  for (let start = 0; start < chunk.length; ) {
    const end = chunk.indexOf(NEWLINE, start) + 1 || chunk.length
    yield chunk.subarray(start, end)
    start = end
  }
}
