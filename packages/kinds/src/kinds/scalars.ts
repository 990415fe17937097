/** An amount with a unit, such as `500m` or `1Gi`. `parseQuantity` reads it. */
export type QuantityString = string

/** A moment to the second in RFC 3339, such as `2026-01-31T12:00:00Z`. `parseTime` reads it. */
export type TimeString = string

/** A moment to the microsecond, such as `2026-01-31T12:00:00.000000Z`. `parseMicroTime` reads it. */
export type MicroTimeString = string

/** Bytes in base64. */
export type Base64String = string

/** A number, or a name or percentage in its place: port `80` or `http`, `1` or `25%` of the pods. */
export type IntOrString = number | string
