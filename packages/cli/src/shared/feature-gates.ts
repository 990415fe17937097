import type { AgentFeatures } from '@orrery/agent'
import { type Command, Option } from 'commander'

export interface FeatureGateOptions {
  readonly featureGates?: string
}

/** The option `--feature-gates`. */
export function featureGatesOption(): Option {
  return new Option('--feature-gates <list>', 'optional features to enable or disable: NAME=true,OTHER=false')
}

/** Parses `--feature-gates`. Exits with a usage error if they are invalid. */
export function readGates<Gates>(
  { featureGates = '' }: FeatureGateOptions,
  parse: (text: string) => Gates,
  command: Command,
): Gates {
  try {
    return parse(featureGates)
  } catch (error) {
    command.error(`error: --feature-gates: ${(error as Error).message}`)
  }
}

/** Parses the feature gates of an agent with so many bootstrap kubeconfigs. Exits if MultipleHubs does not match their number. */
export async function readAgentGates(
  options: FeatureGateOptions,
  hubs: number,
  command: Command,
  isEmbedded: boolean,
): Promise<AgentFeatures> {
  const { DEFAULT_AGENT_FEATURES, EMBEDDED_AGENT_FEATURES, parseAgentFeatureGates } = await import('@orrery/agent')
  const defaults = isEmbedded ? EMBEDDED_AGENT_FEATURES : DEFAULT_AGENT_FEATURES
  const features = readGates(options, (text) => parseAgentFeatureGates(text, defaults), command)
  if (features.MultipleHubs && hubs < 2) {
    command.error(
      'error: --feature-gates: MultipleHubs requires `orrery agent` on an existing cluster, with --bootstrap-kubeconfig for each hub',
    )
  }
  if (!features.MultipleHubs && hubs > 1) {
    command.error('error: --bootstrap-kubeconfig for several hubs requires --feature-gates MultipleHubs=true')
  }
  return features
}
