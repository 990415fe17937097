/** A part that runs in this process. */
export interface RunningPart {
  readonly url: string
  close(): Promise<void>
}
