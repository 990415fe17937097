/** The feature gates of a component. */
export type FeatureGates<Name extends string> = Readonly<Record<Name, boolean>>

/**
 * Parses the value of `--feature-gates`, such as `A=true,B=false`, on top of defaults. Fixed gates exist in Open
 * Cluster Management but not here: they can only be set to their fixed value.
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
      throw new RangeError(`unknown feature gate ${JSON.stringify(gate)}: use one of ${known}`)
    } else if (fixed[gate] !== value) {
      throw new RangeError(`feature gate ${gate} cannot be set to ${value}`)
    }
  }
  return gates as FeatureGates<Name>
}

function readSetting(setting: string): [gate: string, value: boolean] {
  const match = /^(\w+)\s*=\s*(true|false)$/i.exec(setting)
  if (match === null) {
    throw new RangeError(`invalid feature gate ${JSON.stringify(setting)}: use NAME=true or NAME=false`)
  }
  return [match[1] as string, (match[2] as string).toLowerCase() === 'true']
}
