import type { Consumer } from '../store/consumers.js'
import { jsonText, type Members } from './json-text.js'
import { CONSUMERS_PATH } from './paths.js'

/** The members that a client can receive, for the `fields` parameter. */
export const CONSUMER_FIELDS = ['id', 'kind', 'href', 'name', 'labels', 'created_at', 'updated_at'] as const

/** A consumer as Maestro sends it, without empty labels. Go clients refuse lists with other members. */
export function consumerMembers({ id, name, labels, createdAt, updatedAt }: Consumer): Members {
  return [
    ['id', jsonText(id)],
    ['kind', KIND],
    ['href', jsonText(`${CONSUMERS_PATH}/${encodeURIComponent(id)}`)],
    ['name', jsonText(name)],
    ...(labels === undefined || labels.toString() === '{}' ? [] : [['labels', labels] as const]),
    ['created_at', jsonText(createdAt)],
    ['updated_at', jsonText(updatedAt)],
  ]
}

const KIND = Buffer.from('"Consumer"')
