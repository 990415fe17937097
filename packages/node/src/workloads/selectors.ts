import {
  type LabelSelector,
  type LabelSelectorSpec,
  type Labels,
  labelSelectorFrom,
  labelSelectorOf,
  noLabels,
} from '@orrery/kinds/values'

const compiled = new WeakMap<LabelSelectorSpec, LabelSelector>()
const compiledMaps = new WeakMap<Labels, LabelSelector>()

/** Returns the compiled selector of a shared object. An invalid or empty one selects nothing. */
export function selectorOf(spec: LabelSelectorSpec | undefined): LabelSelector {
  if (spec === undefined) return noLabels
  let selector = compiled.get(spec)
  if (selector === undefined) {
    selector = compile(spec)
    compiled.set(spec, selector)
  }
  return selector
}

/**
 * Returns the compiled selector of a label map of a shared object, such as a Service's `spec.selector`. A missing or
 * empty map selects nothing. A map can have thousands of keys, and listing these for each pod takes too long.
 */
export function mapSelectorOf(labels: Labels | undefined): LabelSelector {
  if (labels === undefined) return noLabels
  let selector = compiledMaps.get(labels)
  if (selector === undefined) {
    const wanted = labelSelectorOf(labels)
    selector = wanted.requirements.length === 0 ? noLabels : wanted
    compiledMaps.set(labels, selector)
  }
  return selector
}

function compile(spec: LabelSelectorSpec): LabelSelector {
  try {
    const selector = labelSelectorFrom(spec)
    return selector.requirements.length === 0 ? noLabels : selector
  } catch {
    return noLabels
  }
}
