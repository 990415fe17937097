/** What a route answers with. */
export type Answer =
  | { readonly status: number; readonly body: Buffer; readonly allow?: string }
  /** Sent part by part as it is produced. */
  | { readonly status: number; readonly parts: AsyncIterable<Buffer> }
  | { readonly status: 204 }

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, body: Buffer.from(JSON.stringify(value)) }
}
