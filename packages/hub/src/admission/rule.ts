import type { ResourceType } from '@orrery/kinds'
import type { Clock } from '@orrery/kube'
import type { HubFeatures } from '../features.js'
import type { Edit } from './edit.js'
import type { Inquiries } from './inquiries.js'
import type { Write } from './write.js'

/** What rules depend on. */
export interface RuleSettings {
  readonly features: HubFeatures
  /** How many bytes the manifests of one work may have. */
  readonly manifestLimit: number
  readonly clock: Clock
}

/** Fills in an object. It runs before anybody has looked whether the object has the fields of its kind. */
export interface MutatingRule {
  readonly name: string
  readonly kind: ResourceType
  /** What to set. Refuses by throwing a `StatusError`. */
  readonly mutate: (write: Write) => readonly Edit[]
}

/** Judges an object that is complete and has the fields of its kind. */
export interface ValidatingRule {
  readonly name: string
  readonly kind: ResourceType
  /** Refuses by throwing a `StatusError`. Returns nothing when there was nothing to ask the hub. */
  readonly validate: (write: Write, inquiries: Inquiries) => void | Promise<void>
}

/** What a hub demands of the objects of one kind. */
export type AdmissionRule = MutatingRule | ValidatingRule
