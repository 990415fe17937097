/** The gates of a part, and what they are set to. */
export type FeatureGates<Name extends string> = Readonly<Record<Name, boolean>>

/**
 * Reads `A=true,B=false`, the form of `--feature-gates`, on top of some defaults. Gates that are fixed are those that
 * Open Cluster Management's part has and ours has not: they can only be set to what they are.
 */
export function parseGates<Name extends string>(
  text: string,
  defaults: FeatureGates<Name>,
  fixed: FeatureGates<string>,
): FeatureGates<Name> {
  const gates: Record<string, boolean> = { ...defaults }
  for (const setting of text.split(',')) {
    if (setting.trim() === '') continue
    const [gate, value] = readSetting(setting.trim())
    if (Object.hasOwn(gates, gate)) gates[gate] = value
    else if (!Object.hasOwn(fixed, gate)) {
      const known = [...Object.keys(defaults), ...Object.keys(fixed)].sort().join(', ')
      throw new RangeError(`there is no feature gate ${JSON.stringify(gate)}: known are ${known}`)
    } else if (fixed[gate] !== value) {
      throw new RangeError(`the feature gate ${gate} cannot be set to ${value} here`)
    }
  }
  return gates as FeatureGates<Name>
}

function readSetting(setting: string): [gate: string, value: boolean] {
  const match = /^(\w+)\s*=\s*(true|false)$/i.exec(setting)
  if (match === null) {
    throw new RangeError(`${JSON.stringify(setting)} sets no feature gate: expected NAME=true or NAME=false`)
  }
  return [match[1] as string, (match[2] as string).toLowerCase() === 'true']
}
