import type { PlacementSpec, PrioritizerConfig, Toleration } from '@orrery/api'
import type { Random } from '../../fuzz/random.js'

type Mistake = (spec: PlacementSpec) => PlacementSpec

const predicates =
  (requiredClusterSelector: object): Mistake =>
  (spec) => ({ ...spec, predicates: [...(spec.predicates ?? []), { requiredClusterSelector }] })

const expression = (text: string) => predicates({ celSelector: { celExpressions: ['true', text] } })

const toleration =
  (mistaken: Partial<Toleration>): Mistake =>
  (spec) => ({ ...spec, tolerations: [...(spec.tolerations ?? []), { operator: 'Equal', ...mistaken }] })

const configuration =
  (scoreCoordinate: PrioritizerConfig['scoreCoordinate'], weight = 1): Mistake =>
  (spec) => ({
    ...spec,
    prioritizerPolicy: {
      mode: 'Additive',
      ...spec.prioritizerPolicy,
      configurations: [...(spec.prioritizerPolicy?.configurations ?? []), { scoreCoordinate, weight }],
    },
  })

const group =
  (groupClusterSelector: object): Mistake =>
  (spec) => ({
    ...spec,
    decisionStrategy: {
      groupStrategy: {
        clustersPerDecisionGroup: '100%',
        decisionGroups: [
          { groupName: 'right', groupClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } },
          { groupName: 'mistaken', groupClusterSelector },
        ],
      },
    },
  })

const unknownOperator = { matchExpressions: [{ key: 'region', operator: 'Near', values: ['eu'] }] }

/** Specs that the API server accepts and the scheduler does not, or that look as if it did not. */
const MISTAKES: readonly Mistake[] = [
  expression('managedCluster.metadata.name =='),
  expression('cluster.metadata.name == "x"'),
  expression('undefinedFunction(managedCluster)'),
  expression('managedCluster.scores(1).size() == 0'),
  expression('1 + 1'),
  predicates({ labelSelector: unknownOperator }),
  predicates({ labelSelector: { matchExpressions: [{ key: 'region', operator: 'In' }] } }),
  predicates({ labelSelector: { matchExpressions: [{ key: 'region', operator: 'Exists', values: ['eu'] }] } }),
  predicates({ labelSelector: { matchLabels: { 'not a key': 'x' } } }),
  predicates({ labelSelector: { matchLabels: { region: 'not a value' } } }),
  predicates({ claimSelector: unknownOperator }),
  toleration({ value: 'x' }),
  toleration({ key: 'maintenance', operator: 'Exists', value: 'x' }),
  toleration({ key: 'maintenance', operator: 'Near', value: 'x' }),
  (spec) => ({ ...spec, prioritizerPolicy: { ...spec.prioritizerPolicy, mode: 'Subtractive' } }),
  configuration({ type: 'BuiltIn', builtIn: 'Spread' }),
  configuration({ type: 'BuiltIn', builtIn: 'Spread' }, 0),
  configuration({ type: 'BuiltIn' }),
  configuration({ type: 'AddOn' }),
  configuration({ type: 'AddOn' }, 0),
  configuration({ type: 'AddOn', builtIn: 'Steady', addOn: { resourceName: 'usage', scoreName: 'cpu' } }),
  configuration({ type: 'BuiltIn', builtIn: 'Steady', addOn: { resourceName: 'usage', scoreName: 'cpu' } }),
  group({ labelSelector: unknownOperator }),
  group({ claimSelector: unknownOperator }),
  (spec) => ({ ...spec, decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: '5' } } }),
]

export function misconfigure(random: Random, spec: PlacementSpec): PlacementSpec {
  return random.pick(MISTAKES)(spec)
}
