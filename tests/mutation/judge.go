// Judges Go. In: JSON lines {"text"}. Out: a line each, true if go/parser accepts the text.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
)

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var item struct{ Text string }
		if json.Unmarshal(line, &item) != nil {
			fmt.Println(false)
			continue
		}
		_, err = parser.ParseFile(token.NewFileSet(), "a.go", item.Text, parser.SkipObjectResolution)
		fmt.Println(err == nil)
	}
}
