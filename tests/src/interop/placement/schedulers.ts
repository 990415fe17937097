import { placementControllers, startHub } from '@orrery/hub'
import { afterwards } from '../../support/server.js'
import { OcmProgram } from '../ocm.js'
import type { StartScheduler } from './hub.js'

/** Open Cluster Management's placement controller. */
export const startOcm: StartScheduler = async (t, { kubeconfig }) => {
  const program = await OcmProgram.start(t, 'placement', [
    'controller',
    `--kubeconfig=${kubeconfig}`,
    '--namespace=open-cluster-management-hub',
    // Its default of 50 requests a second would be most of the time of a test.
    '--kube-api-qps=10000',
    '--kube-api-burst=10000',
  ])
  return () => program.log
}

/** Orrery's, without the other controllers of a hub: they would change the clusters. */
export const startOrrery: StartScheduler = async (t, { client }) => {
  const hub = await startHub({ client, controllers: placementControllers, features: { PlacementScheduling: true } })
  afterwards(t, () => hub.close())
  return () => ''
}
