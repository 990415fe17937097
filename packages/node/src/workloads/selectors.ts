import { type LabelSelector, type LabelSelectorSpec, labelSelectorFrom, noLabels } from '@orrery/kinds/values'

const compiled = new WeakMap<LabelSelectorSpec, LabelSelector>()

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

function compile(spec: LabelSelectorSpec): LabelSelector {
  try {
    const selector = labelSelectorFrom(spec)
    return selector.requirements.length === 0 ? noLabels : selector
  } catch {
    return noLabels
  }
}
