import { parseArgs } from 'node:util'
import { runControllers } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { HostedCluster, hostedClusters } from './operator.js'

// Takes the place of HyperShift on a management cluster: `node dist/run-operator.js --kubeconfig FILE --context NAME`.
const { values } = parseArgs({ options: { kubeconfig: { type: 'string' }, context: { type: 'string' } } })
const { kubeconfig: path, context } = values
await runControllers({
  name: 'hosted-clusters',
  cluster: kubeconfigSource({ ...(path !== undefined && { path }), ...(context !== undefined && { context }) }),
  kinds: [HostedCluster],
  controllers: ({ informers }) => [hostedClusters(informers)],
})
