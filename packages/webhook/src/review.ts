import type { AdmissionRule, HubQueries, Write } from '@orrery/hub'
import type { AdmissionResponse, AdmissionReview } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import { jsonPatchOf } from './json-patch.js'
import { readReview } from './review-request.js'

/** Answers an AdmissionReview. Throws a `StatusError` if it is not valid. */
export async function answerReview(
  review: unknown,
  rule: AdmissionRule,
  queries: HubQueries,
): Promise<AdmissionReview & { response: AdmissionResponse }> {
  const { apiVersion, uid, write } = readReview(review, rule)
  const verdict = write === undefined ? { allowed: true } : await judge(write, rule, queries)
  return { apiVersion, kind: 'AdmissionReview', response: { uid, ...verdict } }
}

type Verdict = Omit<AdmissionResponse, 'uid'>

async function judge(write: Write, rule: AdmissionRule, queries: HubQueries): Promise<Verdict> {
  try {
    if ('mutate' in rule) return patched(rule.mutate(write))
    await rule.validate(write, queries)
    return { allowed: true }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { allowed: false, status: error.status }
  }
}

function patched(edits: Parameters<typeof jsonPatchOf>[0]): Verdict {
  if (edits.length === 0) return { allowed: true }
  const patch = Buffer.from(JSON.stringify(jsonPatchOf(edits))).toString('base64')
  return { allowed: true, patchType: 'JSONPatch', patch }
}
