/** Arguments that a program cannot be run with. Its message names the argument and the fix. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}
