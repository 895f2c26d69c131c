// The smallest agent outside of Runcast: one POST endpoint that responds with server-sent events. Standard library only.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

type object map[string]any

type request struct {
	Messages []struct{ Content []struct{ Text string } }
}

// answer sends the events of one run. See PROTOCOL.md for the grammar.
func answer(asked request, send func(object)) {
	city := asked.Messages[len(asked.Messages)-1].Content[0].Text
	call := fmt.Sprintf("forecast-%x", time.Now().UnixNano())
	send(object{"type": "step-start", "step": "look"})
	send(object{"type": "tool-start", "call": call, "name": "forecast"})
	send(object{"type": "tool-input-end", "call": call, "input": object{"city": city}})
	send(object{"type": "step-end", "step": "look", "finish": "tools"})
	send(object{"type": "tool-execute", "call": call})
	sky := "clear over " + city // Do the work here: everything sent so far is already on the screen.
	send(object{"type": "tool-end", "call": call, "outcome": "ok", "content": []object{{"type": "text", "text": sky}}})
	send(object{"type": "step-start", "step": "answer"})
	send(object{"type": "text-start", "part": "after"})
	send(object{"type": "text-delta", "part": "after", "delta": "It is " + sky + "."})
	send(object{"type": "text-end", "part": "after"})
	send(object{"type": "step-end", "step": "answer", "finish": "stop"})
	send(object{"type": "run-end", "outcome": "done"})
}

func main() {
	http.HandleFunc("/runs", func(w http.ResponseWriter, r *http.Request) {
		var asked request
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("content-type", "text/event-stream")
		answer(asked, func(event object) {
			data, _ := json.Marshal(event)
			fmt.Fprintf(w, "data: %s\n\n", data)
			w.(http.Flusher).Flush()
		})
	})
	port := "8000"
	if len(os.Args) > 1 {
		port = os.Args[1]
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
