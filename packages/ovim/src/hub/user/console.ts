import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { Problem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import type { UserContext } from './context.js'
import { idOf } from './ids.js'

/**
 * Where the consoles of a virtual machine are. They are streams of the cluster's own API, with the permissions of the user there: the hub
 * has no way into clusters, and no credentials for them.
 */
export function consoleRoutes(context: UserContext): RouteSpec[] {
  const get = async ({ caller, params }: Call): Promise<Answer> => {
    const request = await context.find(caller, VirtualMachineRequest, params.id ?? '')
    const { phase = 'pending', zone, namespace = '', vmName = '' } = request.status ?? {}
    if (phase !== 'running' && phase !== 'paused') {
      throw new Problem(409, `virtual machine ${request.metadata.name} is ${phase}: it has a console while it runs`)
    }
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${vmName}`
    return {
      status: 200,
      body: {
        id: idOf(request),
        zone_id: zone,
        namespace,
        vm_name: vmName,
        console: { path: `${path}/console`, command: `virtctl console ${vmName} --namespace ${namespace}` },
        vnc: { path: `${path}/vnc`, command: `virtctl vnc ${vmName} --namespace ${namespace}` },
      },
    }
  }
  return [{ path: '/api/v1/vms/{id}/console', methods: { GET: get } }]
}
