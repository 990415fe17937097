import type { ControllerSpec } from '@orrery/kube'
import type { KubevirtContext } from './context.js'
import { dataVolumeController } from './datavolume/controller.js'
import { instanceController } from './instance/controller.js'
import { vmController } from './vm/controller.js'

/** Returns the controllers that KubeVirt and CDI have upstream. */
export function kubevirtControllers(context: KubevirtContext): ControllerSpec[] {
  return [vmController(context), instanceController(context), dataVolumeController(context)]
}
