import { exactly, json, type Scenario } from './scenario.js'

/** `create` with all its subcommands. */
export const creating: readonly Scenario[] = [
  {
    name: 'create from files',
    steps: [
      { run: 'create -f maps.yaml', out: ['configmap/first created', 'configmap/second created'] },
      {
        run: 'create -f maps.yaml',
        err: [
          'Error from server (AlreadyExists)',
          'configmaps "first" already exists',
          'configmaps "second" already exists',
        ],
      },
      {
        run: 'create -f -',
        input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: made-}\n',
        out: /^configmap\/made-[bcdfghjklmnpqrstvwxz2456789]{5} created/,
      },
      {
        run: 'create -f invalid.yaml',
        err: 'The ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain',
      },
      { run: 'create -f unknown.yaml', err: /unknown field "bogus"/ },
      {
        run: 'create -f unknown.yaml --validate=warn',
        since: 27,
        ok: true,
        err: 'Warning: unknown field "bogus"',
        out: 'configmap/odd created',
      },
      { run: 'delete cm odd', since: 27 },
      { run: 'create -f unknown.yaml --validate=false', out: 'configmap/odd created' },
      {
        run: 'create -f pod.yaml --dry-run=server -o yaml',
        out: ['uid:', 'terminationGracePeriodSeconds: 30', 'phase: Pending'],
      },
      { run: 'get pod solo', err: 'pods "solo" not found' },
      { run: 'create -f maps.yaml -n nowhere', err: 'namespaces "nowhere" not found' },
    ],
  },
  {
    name: 'create configuration',
    steps: [
      { run: 'create configmap settings --from-literal=a=1 --from-file=maps.yaml', out: 'configmap/settings created' },
      { run: 'get cm settings -o json', out: json({ data: { a: '1' } }) },
      { run: 'create secret generic token --from-literal=key=value', out: 'secret/token created' },
      { run: 'get secret token -o json', out: json({ type: 'Opaque', data: { key: 'dmFsdWU=' } }) },
      {
        run: 'create secret docker-registry pull --docker-username=u --docker-password=p --docker-server=r',
        out: 'secret/pull created',
      },
      { run: 'get secret pull -o json', out: json({ type: 'kubernetes.io/dockerconfigjson' }) },
      { run: 'create namespace made-by-kubectl', out: 'namespace/made-by-kubectl created' },
      {
        run: 'get ns made-by-kubectl -o json',
        out: json({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
      },
      { run: 'create quota limits --hard=configmaps=10,pods=3', out: 'resourcequota/limits created' },
      { run: 'get quota limits -o json', out: json({ spec: { hard: { configmaps: '10', pods: '3' } } }) },
      {
        run: 'create priorityclass urgent --value=1000 --description=now',
        out: 'priorityclass.scheduling.k8s.io/urgent created',
      },
      { run: 'get priorityclass urgent -o json', out: json({ value: 1000, preemptionPolicy: 'PreemptLowerPriority' }) },
    ],
  },
  {
    name: 'create workloads',
    steps: [
      { run: 'create deployment web --image=nginx --replicas=2 --port=80', out: 'deployment.apps/web created' },
      {
        run: 'get deployment web -o json',
        out: json({ spec: { replicas: 2, strategy: { type: 'RollingUpdate' }, revisionHistoryLimit: 10 } }),
      },
      { run: 'create job once --image=busybox -- date', out: 'job.batch/once created' },
      {
        run: 'get job once -o json',
        out: json({ spec: { completions: 1, parallelism: 1, backoffLimit: 6, completionMode: 'NonIndexed' } }),
      },
      {
        run: "create cronjob often --image=busybox --schedule='*/5 * * * *' -- date",
        since: 27,
        out: 'cronjob.batch/often created',
      },
      {
        run: "create cronjob often --image=busybox --schedule='*/5 * * * *' -- date",
        upTo: 20,
        err: /no matches for|could not find the requested resource/,
      },
      { run: 'create job fromcron --from=cronjob/often', since: 27, out: 'job.batch/fromcron created' },
      {
        run: 'create poddisruptionbudget half --selector=app=web --min-available=50%',
        since: 27,
        out: 'poddisruptionbudget.policy/half created',
      },
      { run: 'create service clusterip inside --tcp=80:8080', out: 'service/inside created' },
      {
        run: "get svc inside -o jsonpath='{.spec.clusterIP} {.spec.type} {.spec.ports[0].targetPort}'",
        out: /^\d+\.\d+\.\d+\.\d+ ClusterIP 8080$/,
      },
      { run: 'create service nodeport outside --tcp=80', out: 'service/outside created' },
      { run: "get svc outside -o jsonpath='{.spec.ports[0].nodePort}'", out: /^3[0-2]\d{3}$/ },
      { run: 'create service externalname elsewhere --external-name=example.org', out: 'service/elsewhere created' },
      {
        run: "create ingress front --rule='example.org/path*=inside:80,tls=cert'",
        out: 'ingress.networking.k8s.io/front created',
      },
      {
        run: 'get ingress front -o json',
        out: json({ spec: { rules: [{ host: 'example.org' }], tls: [{ secretName: 'cert' }] } }),
      },
    ],
  },
  {
    name: 'create access',
    steps: [
      { run: 'create serviceaccount robot', out: 'serviceaccount/robot created' },
      { run: 'create token robot --duration=1h', since: 27, out: /^[\w-]+\.[\w-]+\.[\w-]+\n?$/ },
      { run: 'create token nobody', since: 27, err: 'serviceaccounts "nobody" not found' },
      {
        run: 'create role viewer --verb=get,list --resource=pods,deployments.apps',
        out: 'role.rbac.authorization.k8s.io/viewer created',
      },
      {
        run: "get role viewer -o jsonpath='{.rules[*].apiGroups[0]}|{.rules[1].resources[0]}'",
        out: exactly(' apps|deployments'),
      },
      {
        run: 'create rolebinding viewers --role=viewer --user=eve --serviceaccount=NS:robot',
        out: 'rolebinding.rbac.authorization.k8s.io/viewers created',
      },
      {
        run: 'create clusterrole pinger --verb=get --non-resource-url=/ping',
        out: 'clusterrole.rbac.authorization.k8s.io/pinger created',
      },
      {
        run: 'create clusterrolebinding pingers --clusterrole=pinger --group=ops',
        out: 'clusterrolebinding.rbac.authorization.k8s.io/pingers created',
      },
      { run: 'auth can-i list pods --as=eve', out: exactly('yes') },
      { run: 'auth can-i list secrets --as=eve', ok: false, out: /^no/ },
      { run: 'auth can-i get /ping --as=zoe --as-group=ops', out: exactly('yes') },
      { run: 'auth can-i list pods --as=system:serviceaccount:NS:robot', out: exactly('yes') },
    ],
  },
]
