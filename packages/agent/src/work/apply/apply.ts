import type { DynamicObject } from '@orrery/kube'
import type { Application } from './application.js'
import { applyCreateOnly } from './createonly.js'
import { applyServerSide } from './serverside.js'
import { applyUpdate } from './update.js'

/** Applies a manifest as its strategy says. Resolves with the object as it is then, if it is there. */
export async function applyManifest(application: Application): Promise<DynamicObject | undefined> {
  switch (application.manifest.strategy.type) {
    case 'Update':
      return applyUpdate(application)
    case 'CreateOnly':
      return applyCreateOnly(application)
    case 'ServerSideApply':
      return applyServerSide(application)
    case 'ReadOnly':
      return application.current
  }
}
