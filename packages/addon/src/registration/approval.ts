import { CSR_APPROVED_REASON } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kinds'
import type { ControllerSpec } from '@orrery/kube'
import { approveRequest, isPending } from '@orrery/kube/csr'
import type { AddonManagerContext } from '../manager/context.js'
import { addonRequest, addonRequests, requestWakes } from './addon-request.js'

const APPROVAL = { reason: CSR_APPROVED_REASON, message: 'Auto approving addon agent certificate.' }

/** The name that agents generate is `addon-{cluster}-{add-on}-`. */
const NAME_PREFIX = 'addon'

/** Approves certificate requests of add-ons' agents that the add-on itself approves. Others wait for an administrator. */
export function requestApproval(context: AddonManagerContext): ControllerSpec {
  const { clock } = context
  const requests = addonRequests(context)
  const isOpen = (request: CertificateSigningRequest) =>
    request.metadata.name.startsWith(NAME_PREFIX) && isPending(request)
  return {
    name: 'CSRApprovingController',
    concurrency: 10,
    wakes: requestWakes(context, requests, isOpen),
    async reconcile({ name }, { client, log, signal }) {
      const request = requests.get({ name })
      if (request === undefined || !isOpen(request)) return
      const asked = addonRequest(context, request)
      if (asked?.registration.approve === undefined) return
      if (!(await asked.registration.approve(asked, { client, log, signal }))) return
      await approveRequest(client, request, APPROVAL, { clock, signal })
    },
  }
}
