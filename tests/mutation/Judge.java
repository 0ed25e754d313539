// Judges Java. In: base64 lines of texts. Out: a line each, true if the compiler's parser accepts the text.
import com.sun.source.util.JavacTask;
import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.*;
import javax.tools.*;

class Judge {
    public static void main(String[] arguments) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            var text = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
            var file = new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
                @Override public CharSequence getCharContent(boolean ignored) { return text; }
            };
            var found = new DiagnosticCollector<JavaFileObject>();
            var task = (JavacTask) compiler.getTask(null, null, found, List.of(), null, List.of(file));
            task.parse();
            System.out.println(found.getDiagnostics().stream().noneMatch(d -> d.getKind() == Diagnostic.Kind.ERROR));
        }
    }
}
