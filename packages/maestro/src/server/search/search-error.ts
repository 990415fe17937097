/** A search that cannot be understood. */
export class SearchError extends Error {
  override readonly name = 'SearchError'

  /** `at` is the position in the search, from 1. */
  constructor(at: number, problem: string) {
    super(`[${at}] error parsing the filter: ${problem}`)
  }
}
