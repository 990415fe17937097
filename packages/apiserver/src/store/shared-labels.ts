import type { Labels } from '@orrery/kinds/values'

const NONE: Labels = {}
/** As many sets of labels are known at a time. Beyond it they are forgotten, and sharing starts anew. */
const KNOWN = 4096
/** A set whose text is longer is not compared: few objects have the same one. */
const MAX_TEXT = 1024

const known = new Map<string, Labels>()

/** The same labels as one value for all objects that have them: an application's objects mostly do. */
export function sharedLabels(labels: Labels | undefined): Labels {
  if (labels === undefined) return NONE
  const text = JSON.stringify(labels)
  if (text.length > MAX_TEXT) return labels
  const same = known.get(text)
  if (same !== undefined) return same
  if (known.size >= KNOWN) known.clear()
  known.set(text, labels)
  return labels
}
