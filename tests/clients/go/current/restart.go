package main

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// restartChecks keeps an informer running while the process that runs the program stops the server and starts it again.
func restartChecks(s *suite) {
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	s.check("an informer carries on after the server was away", func(ctx context.Context) error {
		var lock sync.Mutex
		counts := map[string]int{}
		count := func(what string) func(any) {
			return func(object any) {
				lock.Lock()
				defer lock.Unlock()
				_, name, _ := cache.SplitMetaNamespaceKey(must(cache.DeletionHandlingMetaNamespaceKeyFunc(object)))
				counts[what+" "+name]++
			}
		}
		factory := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithNamespace(s.namespace))
		informer := factory.Core().V1().ConfigMaps().Informer()
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: count("add"), DeleteFunc: count("delete")}); err != nil {
			return err
		}
		for i := range 5 {
			if _, err := maps.Create(ctx, configMap(fmt.Sprintf("r%d", i), nil), metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		if err := s.ask("restart"); err != nil {
			return err
		}
		if err := eventually(ctx, "write after the restart", func(ctx context.Context) (bool, error) {
			_, err := maps.Create(ctx, configMap("later", nil), metav1.CreateOptions{})
			return err == nil, nil
		}); err != nil {
			return err
		}
		if err := maps.Delete(ctx, "r0", metav1.DeleteOptions{}); err != nil {
			return err
		}
		return eventually(ctx, "see what came after", func(context.Context) (bool, error) {
			lock.Lock()
			defer lock.Unlock()
			for name, times := range counts {
				if times != 1 {
					return false, fmt.Errorf("%s: %d times", name, times)
				}
			}
			return counts["add later"] == 1 && counts["delete r0"] == 1, nil
		})
	})
}
