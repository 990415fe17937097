import type { KubeObject } from '@orrery/kinds'
import type * as kinds from '@orrery/kinds/flowcontrol'

export const GROUP = 'flowcontrol.apiserver.k8s.io'
export const FLOW_SCHEMAS_BUCKET = `flowschemas.${GROUP}`
export const PRIORITY_LEVELS_BUCKET = `prioritylevelconfigurations.${GROUP}`

/** A FlowSchema, stored or about to be, with its defaults. */
export type FlowSchema = KubeObject & { spec: kinds.FlowSchemaSpec & { matchingPrecedence: number } }
/** A PriorityLevelConfiguration, stored or about to be. */
export type PriorityLevelConfiguration = KubeObject & Pick<kinds.PriorityLevelConfiguration, 'spec'>
