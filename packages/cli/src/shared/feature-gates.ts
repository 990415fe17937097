import type { AgentFeatures } from '@orrery/agent'
import { type Command, Option } from 'commander'

export interface FeatureGateOptions {
  readonly featureGates?: string
}

/** The option `--feature-gates`. */
export function featureGatesOption(): Option {
  return new Option('--feature-gates <list>', 'which optional parts are on: NAME=true,OTHER=false')
}

/** The feature gates that were asked for, read before anything is made. Ends the command when they are none. */
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

/** The feature gates of an agent that knows the way to so many hubs. Ends the command when both do not go together. */
export async function readAgentGates(
  options: FeatureGateOptions,
  hubs: number,
  command: Command,
): Promise<AgentFeatures> {
  const { parseAgentFeatureGates } = await import('@orrery/agent')
  const features = readGates(options, parseAgentFeatureGates, command)
  if (features.MultipleHubs && hubs < 2) {
    command.error(
      'error: --feature-gates: MultipleHubs is for `orrery agent` on a given Kubernetes, with --bootstrap-kubeconfig for each hub',
    )
  }
  if (!features.MultipleHubs && hubs > 1) {
    command.error('error: --bootstrap-kubeconfig for several hubs needs --feature-gates MultipleHubs=true')
  }
  return features
}
