package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// requestLog counts the ways in which informers fill themselves.
type requestLog struct {
	http.RoundTripper
	streams, lists, watches atomic.Int32
}

func (l *requestLog) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	switch {
	case query.Get("sendInitialEvents") == "true":
		l.streams.Add(1)
	case query.Get("watch") == "true":
		l.watches.Add(1)
	case request.Method == http.MethodGet:
		l.lists.Add(1)
	}
	return l.RoundTripper.RoundTrip(request)
}

func logged(config *rest.Config) (*rest.Config, *requestLog) {
	log := &requestLog{}
	config = rest.CopyConfig(config)
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
		log.RoundTripper = inner
		return log
	})
	return config, log
}

func informerChecks(s *suite) {
	s.check("fill", func(ctx context.Context) error {
		for i := range 25 {
			if _, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(ctx, configMap(fmt.Sprintf("i%d", i), map[string]string{"a": "b"}), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
	for name, build := range map[string]func(*rest.Config) cache.SharedIndexInformer{
		"typed": func(config *rest.Config) cache.SharedIndexInformer {
			client := kubernetes.NewForConfigOrDie(protobuf(config))
			return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(s.namespace)).Core().V1().ConfigMaps().Informer()
		},
		"binary": func(config *rest.Config) cache.SharedIndexInformer {
			client := kubernetes.NewForConfigOrDie(onlyProtobuf(config))
			return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(s.namespace)).Core().V1().ConfigMaps().Informer()
		},
		"dynamic": func(config *rest.Config) cache.SharedIndexInformer {
			client := dynamic.NewForConfigOrDie(config)
			return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, s.namespace, nil).ForResource(configMaps).Informer()
		},
		"metadata": func(config *rest.Config) cache.SharedIndexInformer {
			client := metadata.NewForConfigOrDie(config)
			return metadatainformer.NewFilteredSharedInformerFactory(client, 0, s.namespace, nil).ForResource(configMaps).Informer()
		},
	} {
		s.check(name+" informer streams its first list and follows", func(ctx context.Context) error {
			config, log := logged(s.config)
			if err := s.follow(ctx, build(config), name); err != nil {
				return err
			}
			return all(
				equal("streaming lists", log.streams.Load(), int32(1)),
				equal("plain lists", log.lists.Load(), int32(0)),
			)
		})
	}
	s.check("informers of every kind of a hub fill side by side", func(ctx context.Context) error {
		config, log := logged(s.config)
		factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(protobuf(config)), 0)
		registered := []cache.SharedIndexInformer{
			factory.Core().V1().Namespaces().Informer(), factory.Core().V1().Secrets().Informer(), factory.Core().V1().Pods().Informer(),
			factory.Core().V1().Nodes().Informer(), factory.Core().V1().Services().Informer(), factory.Core().V1().ServiceAccounts().Informer(),
			factory.Apps().V1().Deployments().Informer(), factory.Batch().V1().Jobs().Informer(), factory.Rbac().V1().ClusterRoles().Informer(),
			factory.Rbac().V1().RoleBindings().Informer(), factory.Certificates().V1().CertificateSigningRequests().Informer(),
			factory.Coordination().V1().Leases().Informer(), factory.Events().V1().Events().Informer(), factory.Storage().V1().StorageClasses().Informer(),
		}
		factory.Start(ctx.Done())
		filled := factory.WaitForCacheSync(ctx.Done())
		for kind, synced := range filled {
			if !synced {
				return fmt.Errorf("%s did not fill", kind)
			}
		}
		roles, err := factory.Rbac().V1().ClusterRoles().Lister().List(labels.Everything())
		if err != nil {
			return err
		}
		return all(equal("informers", len(filled), len(registered)), holds(len(roles) > 20, "%d cluster roles", len(roles)), equal("plain lists", log.lists.Load(), int32(0)))
	})
	s.check("a work queue reconciles what an informer reports", s.queue)
}

// follow starts an informer and expects it to see a change, a new object and a deletion.
func (s *suite) follow(ctx context.Context, informer cache.SharedIndexInformer, mark string) error {
	var lock sync.Mutex
	deleted := map[string]bool{}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(object any) {
		lock.Lock()
		defer lock.Unlock()
		key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
		deleted[key] = true
	}}); err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("did not fill")
	}
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if err := equal("objects", len(informer.GetStore().List()), len(list.Items)); err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("new-"+mark, nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := maps.Patch(ctx, "i1", types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{%q:"yes"}}}`, mark), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "new-"+mark, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "follow", func(context.Context) (bool, error) {
		lock.Lock()
		defer lock.Unlock()
		object, exists, err := informer.GetStore().GetByKey(s.namespace + "/i1")
		if err != nil || !exists {
			return false, err
		}
		return must(meta.Accessor(object)).GetLabels()[mark] == "yes" && deleted[s.namespace+"/new-"+mark], nil
	})
}

func (s *suite) queue(ctx context.Context) error {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer queue.ShutDown()
	factory := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithNamespace(s.namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "queue=yes" }))
	informer := factory.Core().V1().ConfigMaps()
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { queue.Add(must(cache.MetaNamespaceKeyFunc(object))) },
		UpdateFunc: func(_, object any) { queue.Add(must(cache.MetaNamespaceKeyFunc(object))) },
	}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	go func() {
		for {
			key, stop := queue.Get()
			if stop {
				return
			}
			_, name, _ := cache.SplitMetaNamespaceKey(key)
			object, err := informer.Lister().ConfigMaps(s.namespace).Get(name)
			if err == nil && object.Annotations["done"] == "" {
				object = object.DeepCopy()
				object.Annotations = map[string]string{"done": "yes"}
				_, err = maps.Update(ctx, object, metav1.UpdateOptions{})
			}
			if err != nil {
				queue.AddRateLimited(key)
			} else {
				queue.Forget(key)
			}
			queue.Done(key)
		}
	}()
	for i := range 10 {
		object := configMap(fmt.Sprintf("q%d", i), nil)
		object.Labels = map[string]string{"queue": "yes"}
		if _, err := maps.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return eventually(ctx, "reconcile all", func(context.Context) (bool, error) {
		done := 0
		objects, err := informer.Lister().List(labels.Everything())
		for _, object := range objects {
			if object.Annotations["done"] == "yes" {
				done++
			}
		}
		return done == 10, err
	})
}
