import type { KubeObject } from '@orrery/kinds'

export const GROUP = 'flowcontrol.apiserver.k8s.io'
export const FLOW_SCHEMAS_BUCKET = `flowschemas.${GROUP}`
export const PRIORITY_LEVELS_BUCKET = `prioritylevelconfigurations.${GROUP}`

export interface Subject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[]
}

export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

export interface PolicyRules {
  readonly subjects: readonly Subject[]
  readonly resourceRules?: readonly ResourceRule[]
  readonly nonResourceRules?: readonly NonResourceRule[]
}

export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string }
  readonly matchingPrecedence: number
  readonly distinguisherMethod?: { readonly type: string }
  readonly rules?: readonly PolicyRules[]
}

export interface Queuing {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

export interface PriorityLevelSpec {
  readonly type: string
  readonly limited?: {
    readonly nominalConcurrencyShares?: number
    readonly lendablePercent?: number
    readonly borrowingLimitPercent?: number
    readonly limitResponse: { readonly type: string; readonly queuing?: Queuing }
  }
  readonly exempt?: { readonly nominalConcurrencyShares?: number; readonly lendablePercent?: number }
}

export type FlowSchema = KubeObject & { readonly spec: FlowSchemaSpec }
export type PriorityLevelConfiguration = KubeObject & { readonly spec: PriorityLevelSpec }
