import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Two ConfigMaps that differ in a label. */
const MAPS = `
apiVersion: v1
kind: ConfigMap
metadata: {name: first, labels: {app: a}}
data: {key: one}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second, labels: {app: b}}
data: {key: two}
`

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: server
        image: nginx:1
        ports: [{containerPort: 80}]
        env: [{name: MODE, value: plain}]
`

const POD = `
apiVersion: v1
kind: Pod
metadata: {name: solo, labels: {app: solo}}
spec:
  containers: [{name: main, image: busybox, command: [sleep, "60"]}]
`

const NODE = `
apiVersion: v1
kind: Node
metadata: {name: worker, labels: {node-role.kubernetes.io/worker: ""}}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
  nodeInfo: {kubeletVersion: v1.30.0, osImage: Debian, kernelVersion: "6.1", containerRuntimeVersion: "containerd://1",
    architecture: amd64, bootID: b, kubeProxyVersion: "", machineID: m, operatingSystem: linux, systemUUID: s}
  conditions:
  - {type: Ready, status: "True", reason: KubeletReady, message: fine,
     lastHeartbeatTime: "2024-01-01T00:00:00Z", lastTransitionTime: "2024-01-01T00:00:00Z"}
  addresses: [{type: InternalIP, address: 192.0.2.9}]
`

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all, toys]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Colour, type: string, jsonPath: .spec.colour, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A widget is a thing.
        required: [spec]
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [size]
            properties:
              size: {type: integer, minimum: 1, maximum: 10, description: How big it is.}
              colour: {type: string, default: red, enum: [red, green, blue]}
              replicas: {type: integer, default: 1}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer}}}
          status:
            type: object
            properties:
              replicas: {type: integer}
              selector: {type: string}
              phase: {type: string}
              conditions: {type: array, items: {type: object, properties: {type: {type: string}, status: {type: string}}}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const WIDGET = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: cog, labels: {app: cog}}
spec: {size: 3, ports: [{name: http, port: 80}]}
`

const ROLES = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: access}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: access}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: User, name: bob, apiGroup: rbac.authorization.k8s.io}]
`

/** The same under another name. */
function gadget(text: string): string {
  return text.replaceAll('widget', 'gadget').replaceAll('Widget', 'Gadget').replace('wd', 'gd').replace(', toys', '')
}

const FILES: Readonly<Record<string, string>> = {
  'maps.yaml': MAPS,
  'map-a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\ndata: {a: "1", b: "2"}\n',
  'map-b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\ndata: {a: "3"}\n',
  'unknown.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\ndata: {a: b}\nbogus: 1\n',
  'invalid.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Not_A_Name}\n',
  'deployment.yaml': DEPLOYMENT,
  'deployment-2.yaml': DEPLOYMENT.replace('nginx:1', 'nginx:2').replace('replicas: 2', 'replicas: 4'),
  'pod.yaml': POD,
  'node.yaml': NODE,
  'definition.yaml': DEFINITION,
  'widget.yaml': WIDGET,
  'widget-invalid.yaml': WIDGET.replace('size: 3', 'size: 30, colour: pink').replace('cog', 'bad'),
  'widget-unknown.yaml': WIDGET.replace('size: 3', 'size: 3, bogus: 1').replace('cog', 'odd'),
  'gadgets.yaml': gadget(DEFINITION),
  'gadget.yaml': gadget(WIDGET),
  'roles.yaml': ROLES,
  'kustomize/kustomization.yaml':
    'namePrefix: k-\nresources: [maps.yaml]\nconfigMapGenerator: [{name: made, literals: [a=b]}]\n',
  'kustomize/maps.yaml': MAPS,
}

/** Editors that make one change, as a user would. */
const EDITORS: Readonly<Record<string, string>> = {
  'edit-key': 's/key: one/key: edited/',
  'edit-size': 's/size: 3/size: 4/',
  'edit-badly': 's/size: .*/size: 99/',
}

/** Writes the files that the scenarios' commands read. */
export async function writeFixtures(directory: string): Promise<void> {
  const requests = Object.fromEntries(['granted', 'refused'].map((name) => [`csr-${name}.yaml`, signingRequest(name)]))
  for (const [name, text] of Object.entries({ ...FILES, ...requests })) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), text)
  }
  for (const [name, expression] of Object.entries(EDITORS)) {
    await writeFile(join(directory, name), `#!/bin/sh\nexec sed -i '${expression}' "$1"\n`)
    await chmod(join(directory, name), 0o755)
  }
}

function signingRequest(name: string): string {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', '/dev/null']
  const request = execFileSync('openssl', ['req', '-new', ...key, '-subj', '/O=devs/CN=jane'], { stdio: 'pipe' })
  return `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: ${name}}
spec:
  request: ${request.toString('base64')}
  signerName: kubernetes.io/kube-apiserver-client
  usages: [client auth]
`
}
