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
