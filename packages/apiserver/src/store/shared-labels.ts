import type { Labels } from '@orrery/kinds/values'

const NONE: Labels = {}
/** The maximum number of known label sets. Beyond it they are dropped and sharing starts again. */
const KNOWN = 4096
/** Larger label sets are not compared, since objects rarely share them. */
const MAX_TEXT = 1024

const known = new Map<string, Labels>()

/** Returns one shared value for equal labels: objects of an application mostly have the same labels. */
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
