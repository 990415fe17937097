import { type Schema, t } from '@orrery/api/schema'

/** The same object schema, with fields that it does not list kept. */
export function open<R, N>(schema: Schema<R, N>): Schema<R, N> {
  return { json: { ...schema.json, 'x-kubernetes-preserve-unknown-fields': true } }
}

/** A time that Go clients send as null if it is not set. */
export function nullableTime(): Schema<string> {
  return { json: { ...t.time().json, nullable: true } }
}

/** The metadata of a template. Go clients send null if it is empty. */
export const templateMetadata: Schema<TemplateMetadata> = {
  json: {
    ...t.raw().json,
    nullable: true,
    description: 'Metadata is the metadata of objects created from the template.',
  },
}

export interface TemplateMetadata {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The schema of the conditions of both kinds. */
export const conditionsSchema = t.array(
  open(
    t.object({
      type: t.string(),
      status: t.enum(['True', 'False', 'Unknown']),
      reason: t.optional(t.string()),
      message: t.optional(t.string()),
      lastProbeTime: t.optional(nullableTime()),
      lastTransitionTime: t.optional(nullableTime()),
    }),
  ),
  { description: 'Conditions describe the current state.' },
)
