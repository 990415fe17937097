const SIZE = 50
/** With fewer results, one failure says nothing. */
const MIN_RESULTS = 5
const MIN_SUCCESS = 0.5

/** The results of the last operations: how many completed. */
export class RecentResults {
  readonly #results: boolean[] = []

  add(isCompleted: boolean): void {
    this.#results.push(isCompleted)
    if (this.#results.length > SIZE) this.#results.shift()
  }

  /** From 0 to 1; 1 if there was no operation yet. */
  get successRatio(): number {
    const { length } = this.#results
    return length === 0 ? 1 : this.#results.filter(Boolean).length / length
  }

  get isFailing(): boolean {
    return this.#results.length >= MIN_RESULTS && this.successRatio < MIN_SUCCESS
  }
}
