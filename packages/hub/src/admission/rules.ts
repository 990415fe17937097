import { MANIFEST_LIMIT } from '@orrery/api'
import { systemClock } from '@orrery/kube/clock'
import { DEFAULT_HUB_FEATURES, type HubFeatures } from '../features.js'
import { addonRule } from './addon-rule.js'
import { bindingRule } from './binding-rule.js'
import { clusterDefaults } from './cluster-defaults.js'
import { clusterRule } from './cluster-rule.js'
import { replicaSetRule } from './replica-set-rule.js'
import type { AdmissionRule, RuleSettings } from './rule.js'
import { scoreRule } from './score-rule.js'
import { templateRule } from './template-rule.js'
import { dryRunRule, workRule } from './work-rule.js'

/** Settings of admission rules. */
export interface AdmissionOptions extends Partial<Omit<RuleSettings, 'features'>> {
  /** Default Open Cluster Management's own. */
  readonly features?: Partial<HubFeatures>
}

/** The admission rules of a hub. Mutating rules come first. */
export function admissionRules(options: AdmissionOptions = {}): readonly AdmissionRule[] {
  const { manifestLimit = MANIFEST_LIMIT, clock = systemClock } = options
  const settings: RuleSettings = { manifestLimit, clock, features: { ...DEFAULT_HUB_FEATURES, ...options.features } }
  return [
    clusterDefaults(settings),
    clusterRule,
    bindingRule,
    workRule(settings),
    replicaSetRule(settings),
    dryRunRule(settings),
    scoreRule,
    templateRule,
    addonRule,
  ]
}
