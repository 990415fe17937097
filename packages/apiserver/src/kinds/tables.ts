import type { KindTable } from './table.js'
import { admission } from './tables/admission.generated.js'
import { admissionregistration } from './tables/admissionregistration.generated.js'
import { apiextensions } from './tables/apiextensions.generated.js'
import { apiregistration } from './tables/apiregistration.generated.js'
import { apps } from './tables/apps.generated.js'
import { authentication } from './tables/authentication.generated.js'
import { authorization } from './tables/authorization.generated.js'
import { autoscaling } from './tables/autoscaling.generated.js'
import { autoscalingv1 } from './tables/autoscalingv1.generated.js'
import { batch } from './tables/batch.generated.js'
import { certificates } from './tables/certificates.generated.js'
import { coordination } from './tables/coordination.generated.js'
import { core } from './tables/core.generated.js'
import { discovery } from './tables/discovery.generated.js'
import { events } from './tables/events.generated.js'
import { flowcontrol } from './tables/flowcontrol.generated.js'
import { meta } from './tables/meta.generated.js'
import { networking } from './tables/networking.generated.js'
import { node } from './tables/node.generated.js'
import { policy } from './tables/policy.generated.js'
import { rbac } from './tables/rbac.generated.js'
import { resource } from './tables/resource.generated.js'
import { scheduling } from './tables/scheduling.generated.js'
import { storage } from './tables/storage.generated.js'

/** Every table, the groups in the order in which discovery lists them. */
export const tables: readonly KindTable[] = [
  core,
  apiregistration,
  apps,
  events,
  authentication,
  authorization,
  autoscaling,
  autoscalingv1,
  batch,
  certificates,
  networking,
  policy,
  rbac,
  storage,
  admissionregistration,
  apiextensions,
  scheduling,
  coordination,
  node,
  discovery,
  resource,
  flowcontrol,
  admission,
  meta,
]
