import { Batcher } from './batcher.js'
import { isValueProblem } from './database-errors.js'

/** A bundle can have 4 MB. */
const MAX_KEYS = 16

interface Read {
  readonly key: string
  readonly bytes: number
  readonly wanted: string
}

/**
 * Reads the rows of one key. Reads that come while others run share the next query: a query costs more than the rows of
 * some keys.
 */
export function sharedReads<Row>(
  read: (keys: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): (key: string) => Promise<readonly Row[]> {
  const batcher = new Batcher<Read, readonly Row[]>({
    async run(reads) {
      const found = new Map<string, Row[]>()
      for (const { wanted } of reads) found.set(wanted, [])
      for (const row of await read([...found.keys()])) found.get(keyOf(row))?.push(row)
      return reads.map(({ wanted }) => found.get(wanted) ?? [])
    },
    maxItems: MAX_KEYS,
    isItemProblem: isValueProblem,
  })
  let count = 0
  // Reads of the same key need not wait for each other.
  return (wanted) => batcher.submit({ key: String(count++), bytes: wanted.length, wanted })
}
