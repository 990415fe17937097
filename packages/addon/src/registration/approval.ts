import { CSR_APPROVED_REASON } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kinds'
import type { ControllerSpec } from '@orrery/kube'
import { approveRequest, denyRequest, isPending } from '@orrery/kube/csr'
import type { AddonManagerContext } from '../manager/context.js'
import { addonRequest, addonRequests, requestsOfSameAddon, requestWakes } from './addon-request.js'

const APPROVAL = { reason: CSR_APPROVED_REASON, message: 'Auto approving addon agent certificate.' }

/** The name that agents generate is `addon-{cluster}-{add-on}-`. */
const NAME_PREFIX = 'addon'

/**
 * Approves certificate requests of add-ons' agents that the add-on itself approves. Others wait for an administrator, until the agent
 * replaces them.
 */
export function requestApproval(context: AddonManagerContext): ControllerSpec {
  const { clock } = context
  const requests = addonRequests(context)
  const isOpen = (request: CertificateSigningRequest) =>
    request.metadata.name.startsWith(NAME_PREFIX) && isPending(request)
  return {
    name: 'CSRApprovingController',
    concurrency: 10,
    flowOf: (ref) => requests.get(ref)?.spec.username ?? '',
    wakes: requestWakes(context, requests, isOpen),
    async reconcile({ name }, { client, log, signal }) {
      const request = requests.get({ name })
      if (request === undefined || !isOpen(request)) return
      const asked = addonRequest(context, request)
      if (asked?.registration.approve === undefined) return
      const call = { client, log, signal }
      if (!(await asked.registration.approve(asked, call))) return
      await approveRequest(client, request, APPROVAL, { clock, signal })
      const open = requestsOfSameAddon(requests, request).filter(isOpen)
      for (const older of open.filter((one) => isSupersededBy(one, request))) {
        const decided = addonRequest(context, older)
        if (decided === undefined || (await asked.registration.approve(decided, call))) continue
        await denyRequest(client, older, superseded(request), { clock, signal })
      }
    },
  }
}

/**
 * Whether an agent has replaced a request by a newer one: an agent waits for one request of a signer. It sends another if its subject
 * changes, and cannot delete the former one, which would be pending until the hub deletes it after a day.
 */
function isSupersededBy(older: CertificateSigningRequest, newer: CertificateSigningRequest): boolean {
  const { metadata, spec } = newer
  return (
    // Both are as they were created. Times have only seconds, and an agent can send two requests in one.
    Number(older.metadata.resourceVersion) < Number(metadata.resourceVersion) &&
    older.spec.signerName === spec.signerName &&
    older.spec.username === spec.username
  )
}

function superseded({ metadata }: CertificateSigningRequest) {
  return { reason: 'Superseded', message: `The agent has requested another subject in ${metadata.name}.` }
}
