/** A quantity, such as `500m` or `1Gi`. `parseQuantity` parses it. */
export type QuantityString = string

/** A time in RFC 3339 with seconds, such as `2026-01-31T12:00:00Z`. `parseTime` parses it. */
export type TimeString = string

/** A time with microseconds, such as `2026-01-31T12:00:00.000000Z`. `parseMicroTime` parses it. */
export type MicroTimeString = string

/** Bytes in base64. */
export type Base64String = string

/** A number, or a name or percentage instead: port `80` or `http`, `1` or `25%` of the pods. */
export type IntOrString = number | string
