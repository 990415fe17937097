import type { ResourceType } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import type { HubFeatures } from '../features.js'
import type { Edit } from './edit.js'
import type { HubQueries } from './hub-queries.js'
import type { Write } from './write.js'

/** The settings of rules. */
export interface RuleSettings {
  readonly features: HubFeatures
  /** The maximum size of the manifests of one work, in bytes. */
  readonly manifestLimit: number
  readonly clock: Clock
}

/** What all rules have. */
interface Rule {
  readonly name: string
  readonly kind: ResourceType
  /** The subresources that the rule applies to, besides the object itself. Default none. */
  readonly subresources?: readonly string[]
}

/** A mutating admission rule. It runs before schema validation. */
export interface MutatingRule extends Rule {
  /** The fields to set. Denies by throwing a `StatusError`. */
  readonly mutate: (write: Write) => readonly Edit[]
}

/** A validating admission rule. It runs after defaulting and schema validation. */
export interface ValidatingRule extends Rule {
  /** Denies by throwing a `StatusError`. Returns nothing if it needs no query. */
  readonly validate: (write: Write, queries: HubQueries) => void | Promise<void>
}

/** An admission rule for the objects of one kind. */
export type AdmissionRule = MutatingRule | ValidatingRule
