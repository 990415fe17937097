/** A Date is a timestamp on the wire, and a number an integer. */
export type ExtensionValue = string | number | boolean | Date | Uint8Array

/** A CloudEvent of version 1.0. */
export interface CloudEvent {
  readonly id: string
  readonly source: string
  readonly type: string
  readonly time?: Date
  readonly subject?: string
  readonly dataSchema?: string
  readonly dataContentType?: string
  /** By name, without the prefix that transports add. */
  readonly extensions: Readonly<Record<string, ExtensionValue>>
  readonly data?: Uint8Array
}
